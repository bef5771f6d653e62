import '@windlass/ui/styles/theme.css'
import { mountConsole } from '@windlass/ui/console/mount.tsx'
import { queries } from './api.ts'
import { router } from './routes.tsx'

mountConsole(router, queries)
