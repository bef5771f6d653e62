/** The texts in Spanish that every page needs; those of a screen load with it (routes.tsx). */
export * from '@windlass/ui/console/spanish.ts'
export * from './texts-es.ts'
