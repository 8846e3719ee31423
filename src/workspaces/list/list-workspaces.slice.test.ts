import DatabaseDriver from 'better-sqlite3'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeTestApi, type TestApi, type TestOrganization } from '../../../test/harness/api.ts'
import { tablePorts, workspaceSlice } from '../../../test/harness/workspaces.ts'
import { makeTables, type Tables } from '../../main/schema.ts'
import type { Database } from '../../platform/db/database.ts'
import { sqliteKit } from '../../platform/db/kit.ts'
import { openSqlite } from '../../platform/db/sqlite.ts'
import { newId } from '../../platform/ids.ts'
import { silentLog } from '../../platform/log.ts'
import { defaultSettings } from '../settings/decide-settings.ts'
import type { WorkspaceSort } from './filter.ts'
import { selectWorkspacePage, type WorkspaceListQuery } from './queries.ts'

let issued = 0
/** The same database; counts the queries that begin on it. */
const counting = (db: Database<Tables>): Database<Tables> => ({
  ...db,
  select: (...fields: []) => {
    issued++
    return db.select(...fields)
  },
  $count: (...of) => {
    issued++
    return db.$count(...of)
  },
})

const COUNT = 10_000
let api: TestApi
let organization: TestOrganization
beforeAll(async () => {
  api = await makeTestApi({ slices: [(base) => workspaceSlice({ ...base, db: counting(base.db) })] })
  organization = await api.newOrganization()
  await api.db.transaction(async (tx) => {
    const { workspaces, tagBindings, variables } = tx.t
    for (let from = 0; from < COUNT; from += 500) {
      const rows = Array.from({ length: 500 }, (_, index) => workspaceRow(from + index))
      await tx.insert(workspaces).values(rows)
      await tx.insert(tagBindings).values(rows.map(({ id }) => ({ id: newId('tb'), workspaceId: id, key: 'all', value: '', position: 1 })))
      if (from === 0) await tx.insert(variables).values(rows.map(({ id }) => variableRow(id)))
    }
  })
})
afterAll(() => api.drop())

const at = new Date('2030-01-01T00:00:00Z')
/** The higher the number, the later the creation and the earlier the change. */
const workspaceRow = (number: number): Tables['workspaces']['$inferInsert'] => ({
  ...defaultSettings(`ws-${String(number).padStart(5, '0')}`, '1.11.4'),
  id: newId('ws'),
  organizationId: organization.id,
  projectId: organization.defaultProjectId,
  source: 'tfe-api',
  lockedReason: '',
  resourceCount: 0,
  createdAt: new Date(at.getTime() + number),
  updatedAt: at,
  latestChangeAt: new Date(at.getTime() - number * 1000),
  version: 1,
})
const variableRow = (workspaceId: string): Tables['variables']['$inferInsert'] => ({
  id: newId('var'),
  workspaceId,
  key: 'a',
  category: 'env',
  valueSealed: Buffer.alloc(0),
  isHcl: false,
  isSensitive: false,
  description: '',
  versionId: 'v',
  createdAt: at,
})

describe('a list of 10,000 workspaces', () => {
  it.each([
    // organization, total, page, tags of the page, tags of its projects, variables of the page
    ['', 6],
    ['search[name]=ws-0', 6],
    ['sort=-latest-change-at', 6],
    // and the subqueries within
    ['search[tags]=all', 7],
    ['filter[tagged][0][key]=all', 9],
  ])('takes as many queries for 100 members as for one: ?%s', async (filter, expected) => {
    const ask = async (size: number) => {
      issued = 0
      const { many } = await api.request('GET', `organizations/${organization.name}/workspaces?page[size]=${size}&page[number]=3&${filter}`)
      return { members: many(), queries: issued }
    }
    const [one, hundred] = [await ask(1), await ask(100)]
    expect([one.members.length, hundred.members.length]).toEqual([1, 100])
    expect([one.queries, hundred.queries]).toEqual([expected, expected])
    expect(hundred.members[0]).toMatchObject({
      attributes: { 'tag-names': ['all'] },
      relationships: { vars: { data: [{ type: 'vars' }] } },
    })
  })
})

describe('the query of a page', () => {
  let directory: string
  let db: Database<Tables>
  let raw: DatabaseDriver.Database
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'terrane-plan-'))
    const file = join(directory, 'terrane.db')
    const migrationsFolder = new URL('../../../migrations/sqlite', import.meta.url).pathname
    db = openSqlite({ file, tables: makeTables(sqliteKit), migrationsFolder, log: silentLog })
    raw = new DatabaseDriver(file, { readonly: true })
  })
  afterAll(async () => {
    raw.close()
    await db.close()
    await rm(directory, { recursive: true, force: true })
  })

  const planOf = (filter: WorkspaceListQuery['filter'], sort: WorkspaceSort): string[] => {
    const query = { organizationId: 'org-1', visible: 'all', filter, sort } as const
    const { sql, params } = selectWorkspacePage(db, tablePorts(db).currentRun, query, { number: 3, size: 20 }).toSQL()
    const steps = raw.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...params) as { detail: string }[]
    return steps.map(({ detail }) => detail)
  }

  it.each([
    ['created-at', 'workspaces_created_idx'],
    ['name', 'workspaces_name_key'],
    ['-name', 'workspaces_name_key'],
    ['latest-change-at', 'workspaces_latest_change_idx'],
    ['-latest-change-at', 'workspaces_latest_change_idx'],
  ] as const)('goes along an index in the order %s, without sorting', (sort, index) => {
    const plan = planOf({}, sort).join('\n')
    expect(plan).toContain(`SEARCH workspaces USING INDEX ${index} (organization_id=?)`)
    expect(plan).not.toMatch(/SCAN (workspaces|organizations)/)
    // ties of one time are put in order of their ids, nothing more
    expect(plan).not.toContain('TEMP B-TREE FOR ORDER BY')
  })

  it('looks tags up in an index for each member', () => {
    const plan = planOf({ tags: ['a'], excludeTags: ['b'], tagged: [{ key: 'c', value: 'd' }] }, 'name').join('\n')
    expect(plan.match(/SEARCH tag_bindings USING (COVERING )?INDEX tag_bindings_(key|lookup_idx)/g)).toHaveLength(4)
    expect(plan).toMatch(/SEARCH project_tag_bindings USING INDEX project_tag_bindings_key/)
    expect(plan).not.toContain('SCAN')
  })
})
