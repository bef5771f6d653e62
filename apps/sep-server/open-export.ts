import { openExport } from '@windlass/service/seals/open-export.ts'
import { sealedColumns } from './sealed-columns.ts'

/* Opens what this server had encrypted in the export of an anchor: see `npm run export:open`. */

const [folder = '', keyFile = ''] = process.argv.slice(2)
process.stdout.write(JSON.stringify(await openExport(folder, keyFile, 'sep', sealedColumns)))
