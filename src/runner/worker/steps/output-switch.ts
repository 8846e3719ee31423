import { LogFormat } from '../../gen/runner/v1/runner.ts'

/** The switch that decides the form of the log. Text is coloured, also when nobody looks (measured, 1.11), as people expect it of a log. */
export const outputSwitch = (format: LogFormat): string[] => (format === LogFormat.JSON ? ['-json'] : [])
