import type { TransactionOptions } from '../../platform/db/database.ts'

/**
 * For what a phase notes on its way. A power cut that undoes it has ended the phase's runner too, and what must not be done twice or lost, the begin
 * of an apply, its states and the end of every phase, is on disk before anybody hears of it.
 */
export const LAZY: TransactionOptions = { isLazy: true }
