import { consoleBuild } from '@windlass/ui/build/console.ts'

export default consoleBuild(import.meta.dirname)
