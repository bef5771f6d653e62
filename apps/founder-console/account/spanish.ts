export * from '@windlass/ui/console/failure-titles-es.ts'
export * from '@windlass/ui/console/second-factor-texts-es.ts'
export * from './texts-es.ts'
