import { FIRST_RELEASE, leaveTo } from './store/database.ts'

const [folder] = process.argv.slice(2)
if (!folder) throw new Error('Name the data folder.')
leaveTo(FIRST_RELEASE, folder)
