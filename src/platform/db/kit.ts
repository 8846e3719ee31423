import {
  bigint,
  boolean,
  customType,
  foreignKey as pgForeignKey,
  index as pgIndex,
  jsonb,
  pgTable,
  primaryKey as pgPrimaryKey,
  text as pgText,
  timestamp,
  uniqueIndex as pgUniqueIndex,
} from 'drizzle-orm/pg-core'
import { blob, foreignKey, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/**
 * Column kit: slices declare their tables once, as a function of the kit. `sqliteKit` gives text, integer and blob columns,
 * `pgKit` text, bigint, boolean, timestamptz(3), jsonb and bytea. Queries are typed as SQLite ones for both.
 */
export const sqliteKit = {
  table: sqliteTable,
  text: (name: string) => text(name),
  /** 53-bit integer. */
  int: (name: string) => integer(name, { mode: 'number' }),
  bool: (name: string) => integer(name, { mode: 'boolean' }),
  /** Date with milliseconds. */
  time: (name: string) => integer(name, { mode: 'timestamp_ms' }),
  json: <T>(name: string) => text(name, { mode: 'json' }).$type<T>(),
  bytes: (name: string) => blob(name, { mode: 'buffer' }),
  index,
  uniqueIndex,
  primaryKey,
  foreignKey,
}

export type Kit = typeof sqliteKit

const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' })

const pgMembers = {
  table: pgTable,
  text: (name: string) => pgText(name),
  int: (name: string) => bigint(name, { mode: 'number' }),
  bool: (name: string) => boolean(name),
  time: (name: string) => timestamp(name, { mode: 'date', precision: 3, withTimezone: true }),
  json: <T>(name: string) => jsonb(name).$type<T>(),
  bytes: (name: string) => bytea(name),
  index: pgIndex,
  uniqueIndex: pgUniqueIndex,
  primaryKey: pgPrimaryKey,
  foreignKey: pgForeignKey,
}

// safe because both kits have the same members and the query builders of both dialects share the methods that Tx exposes
export const pgKit = pgMembers as unknown as Kit
