/** The texts in Spanish that every page needs; those behind the sign-in load with their pages (routes.tsx). */
export * from '@windlass/ui/console/spanish.ts'
export * from './sign-in/texts-es.ts'
export * from './texts-es.ts'
