import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../src/platform/ids.ts'
import { makeLeases, type Leases } from '../../src/platform/leases.ts'
import { openTestDatabase, type TestDatabase } from '../harness/database.ts'
import { makeFakeClock } from '../harness/fake-clock.ts'

let test: TestDatabase
let clock: ReturnType<typeof makeFakeClock>
let one: Leases
let two: Leases
let name: string
beforeAll(async () => {
  test = await openTestDatabase()
})
afterAll(() => test.drop())
beforeEach(() => {
  clock = makeFakeClock()
  name = newId('lease')
  one = makeLeases({ db: test.db, clock, owner: 'one' })
  two = makeLeases({ db: test.db, clock, owner: 'two' })
})

describe('leases', () => {
  it('have one owner', async () => {
    expect(await one.acquire(name, 10_000)).toEqual({ epoch: 1 })
    expect(await two.acquire(name, 10_000)).toBeUndefined()
    expect(await two.renew(name, 10_000)).toBe(false)
    expect(await one.acquire(name, 10_000)).toEqual({ epoch: 1 })
  })

  it('go to one of many that ask at once', async () => {
    const owners = Array.from({ length: 10 }, (_, index) => makeLeases({ db: test.db, clock, owner: `owner-${index}` }))
    const taken = await Promise.all(owners.map((leases) => leases.acquire(name, 10_000)))
    expect(taken.filter((lease) => lease !== undefined)).toEqual([{ epoch: 1 }])
  })

  it('pass to another owner only some seconds after their end, with a higher epoch', async () => {
    await one.acquire(name, 10_000)
    clock.advance(14_999)
    expect(await two.acquire(name, 10_000)).toBeUndefined()
    clock.advance(1)
    expect(await two.acquire(name, 10_000)).toEqual({ epoch: 2 })
    expect(await one.renew(name, 10_000)).toBe(false)
    expect(await one.acquire(name, 10_000)).toBeUndefined()
  })

  it('last as long as they are renewed', async () => {
    await one.acquire(name, 10_000)
    for (let round = 0; round < 5; round++) {
      clock.advance(9000)
      expect(await one.renew(name, 10_000)).toBe(true)
    }
    expect(await two.acquire(name, 10_000)).toBeUndefined()
  })

  it('are free at once after a release, which nobody else can make', async () => {
    await one.acquire(name, 10_000)
    await two.release(name)
    expect(await two.acquire(name, 10_000)).toBeUndefined()
    await one.release(name)
    await one.release(name)
    expect(await one.renew(name, 10_000)).toBe(false)
    expect(await two.acquire(name, 10_000)).toEqual({ epoch: 2 })
    await two.release(name)
    expect(await two.acquire(name, 10_000)).toEqual({ epoch: 3 })
  })
})
