import { LogFormat } from '../../gen/runner/v1/runner.ts'

/**
 * The switch that decides the form of the log. Terraform colours its text also when nobody looks (measured, 1.11), so text
 * needs a switch of its own.
 */
export const outputSwitch = (format: LogFormat): string => (format === LogFormat.JSON ? '-json' : '-no-color')
