import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoint, linkOne, one, paged, resourceType } from '../../src/api/index.ts'
import { makeOpenApi } from '../../src/api/openapi/make-open-api.ts'
import { makeAnswerChecker } from './answer-checker.ts'

const ownerType = resourceType('owners', { attributes: z.object({ name: z.string() }) })
const carType = resourceType('cars', {
  attributes: z.object({ wheels: z.int(), 'built-at': z.date().nullable(), colour: z.enum(['red', 'blue']).optional() }),
  relationships: { owner: { one: 'owners' } },
})
const car = (attributes: object = {}, more: object = {}) => ({
  type: 'cars',
  id: 'car-1',
  attributes: { wheels: 4, 'built-at': '2026-01-02T03:04:05.678Z', ...attributes },
  ...more,
})
const handle = async () =>
  one(carType.of({ id: 'car-1', attributes: { wheels: 4, 'built-at': null }, relationships: { owner: linkOne('owners', null) } }))
const check = makeAnswerChecker(
  makeOpenApi(
    [
      endpoint({ method: 'GET', path: 'cars/:id', auth: 'token', include: ['owner'], status: 200, answer: { one: carType }, handle }),
      endpoint({ method: 'GET', path: 'cars', auth: 'token', status: 200, answer: { paged: carType }, handle: async () => paged([], 0) }),
      endpoint({ method: 'DELETE', path: 'cars/:id', auth: 'token', status: 204, handle }),
    ],
    [ownerType],
  ),
)
const answer =
  (document: unknown, more: object = {}) =>
  () =>
    check({
      method: 'GET',
      path: '/api/v2/cars/car-1',
      status: 200,
      contentType: 'application/vnd.api+json',
      text: JSON.stringify(document),
      ...more,
    })

describe('an answer', () => {
  it('as declared is accepted', () => {
    answer({ data: car() })()
    answer({ data: car({ 'built-at': null, colour: 'red' }, { relationships: { owner: { data: { type: 'owners', id: 'o' } } } }) })()
    answer({ data: car(), included: [{ type: 'owners', id: 'o', attributes: { name: 'x' } }] })()
    answer({ errors: [{ status: '404', title: 'not found' }] }, { status: 404 })()
    answer('', { method: 'DELETE', status: 204, contentType: undefined, text: '' })()
  })

  it.each([
    ['an attribute that is not declared', { data: car({ doors: 4 }) }, /must NOT have additional properties/],
    ['an attribute of another type', { data: car({ wheels: '4' }) }, /wheels must be integer/],
    ['a value that is not in the list', { data: car({ colour: 'green' }) }, /colour must be equal to one of/],
    ['no time', { data: car({ 'built-at': 'yesterday' }) }, /built-at must match format "date-time"/],
    ['a missing attribute', { data: { type: 'cars', id: 'x', attributes: { wheels: 4 } } }, /must have required property 'built-at'/],
    ['another type', { data: { ...car(), type: 'planes' } }, /type must be equal to constant/],
    ['a relationship that is not declared', { data: car({}, { relationships: { driver: { data: null } } }) }, /additional properties/],
    ['a relationship to another type', { data: car({}, { relationships: { owner: { data: { type: 'cars', id: 'x' } } } }) }, /owner\/data/],
    ['an embedded resource that was not offered', { data: car(), included: [car()] }, /included\/0/],
    ['a member of the document that is not declared', { data: car(), jsonapi: {} }, /additional properties/],
  ])('with %s is refused', (_, document, complaint) => {
    expect(answer(document)).toThrow(complaint)
  })

  it('with another status, content type or form is refused', () => {
    expect(answer({ data: car() }, { status: 201 })).toThrow(/the document knows 200, default/)
    expect(answer({ data: car() }, { contentType: 'application/json' })).toThrow(/application\/json is none of/)
    expect(answer({ data: [car()] }, { path: '/api/v2/cars' })).toThrow(/must have required property 'meta'/)
    expect(answer({ data: car() }, { method: 'DELETE', status: 204 })).toThrow(/there should be no body/)
    expect(answer({ data: car() }, { path: '/api/v2/planes' })).toThrow(/not in the document/)
    expect(answer({ errors: [{ code: 1 }] }, { status: 422 })).toThrow(/errors\/0/)
  })
})
