import '@windlass/ui/styles/theme.css'
import { mountConsole } from '@windlass/ui/console/mount.tsx'
import { routes } from './routes.tsx'

await mountConsole(routes)
