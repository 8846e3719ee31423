import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

x509.cryptoProvider.set(webcrypto)

/** Another implementation than ours reads our certificates, and makes such as we would not. */
export { x509 }
