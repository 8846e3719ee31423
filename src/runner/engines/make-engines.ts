import type { Clock } from '../../platform/clock.ts'
import type { EngineName } from '../../platform/engine-name.ts'
import type { Log } from '../../platform/log.ts'
import { type EngineStore, makeEngineStore } from './engine-store.ts'

export type Engines = Record<EngineName, EngineStore>

type Deps = { directory: string; releaseMirrorUrl?: string | undefined; searchPath: string; trustedKeys: string[]; log: Log; clock: Clock }

/** The stores of both engines, in one directory. The mirror and the keys are those of Terraform; OpenTofu is not downloaded. */
export const makeEngines = ({ releaseMirrorUrl, trustedKeys, ...shared }: Deps): Engines => ({
  terraform: makeEngineStore({
    ...shared,
    engine: 'terraform',
    releases: { ...(releaseMirrorUrl === undefined ? {} : { mirrorUrl: releaseMirrorUrl }), trustedKeys },
  }),
  tofu: makeEngineStore({ ...shared, engine: 'tofu' }),
})
