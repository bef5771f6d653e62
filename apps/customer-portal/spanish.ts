/** Every text of this console in Spanish. */
export * from '@windlass/ui/console/failure-titles-es.ts'
export * from '@windlass/ui/console/second-factor-texts-es.ts'
export * from '@windlass/ui/console/spanish.ts'
export * from './account/texts-es.ts'
export * from './texts-es.ts'
export * from './transactions/texts-es.ts'
