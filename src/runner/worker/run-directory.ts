import { join } from 'node:path'

/**
 * Layout of the directory of one phase. The path is the same in plan and apply of a run, because a plan holds absolute paths.
 *
 *     <workRoot>/<runId>/     0711, owner of the worker
 *       work/                 0700, job user: the unpacked configuration; the engine runs in it or below
 *       state/                0700, job user: terraform.tfstate, written in place by the engine
 *         workspaces/NAME/    a link to it for the engine, which has a directory for each workspace
 *       home/                 0700, job user: HOME, with the CLI configuration, what the engine trusts, and during init the key for modules
 *       tmp/                  0700, job user: TMPDIR
 *       out/                  0700, job user: plan files the engine writes
 *       private/              0700, owner of the worker
 *         uploads/            what the controller sent, by kind
 *         artifacts/          what the controller may fetch, by kind
 *         operations/         events of the steps, masked
 *         journal/            states not yet acknowledged: SEQ.tfstate, complete files, the highest SEQ is the newest
 *         engine.json         {"pid": number, "startTicks": string} of the running engine, leader of its process group
 */
export type RunPaths = {
  root: string
  work: string
  state: string
  stateFile: string
  workspaces: string
  home: string
  cliConfig: string
  trustFile: string
  sshKey: string
  knownHosts: string
  tmp: string
  out: string
  planFile: string
  driftFile: string
  private: string
  uploads: string
  artifacts: string
  operations: string
  journal: string
  engineFile: string
}

/** Paths of the phase directory `root`, that is `<workRoot>/<runId>`. Pure. */
export const runPaths = (root: string): RunPaths => {
  const own = join(root, 'private')
  return {
    root,
    work: join(root, 'work'),
    state: join(root, 'state'),
    stateFile: join(root, 'state', 'terraform.tfstate'),
    workspaces: join(root, 'state', 'workspaces'),
    home: join(root, 'home'),
    cliConfig: join(root, 'home', 'cli.tfrc'),
    trustFile: join(root, 'home', 'ca.pem'),
    sshKey: join(root, 'home', 'ssh-key'),
    knownHosts: join(root, 'home', 'known-hosts'),
    tmp: join(root, 'tmp'),
    out: join(root, 'out'),
    planFile: join(root, 'out', 'plan.tfplan'),
    driftFile: join(root, 'out', 'drift.tfplan'),
    private: own,
    uploads: join(own, 'uploads'),
    artifacts: join(own, 'artifacts'),
    operations: join(own, 'operations'),
    journal: join(own, 'journal'),
    engineFile: join(own, 'engine.json'),
  }
}
