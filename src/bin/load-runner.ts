import { loadScript } from '../runner/host/load-script.ts'

loadScript(`${__dirname}/terrane-runner-main.cjs`)
