export { sshKeyEndpoints } from './endpoints.ts'
export { makeSshKeys } from './ssh-keys.ts'
