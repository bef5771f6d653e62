import { redirect } from 'react-router'
import { paths } from '../paths.ts'

export const loader = () => redirect(paths.apply())
