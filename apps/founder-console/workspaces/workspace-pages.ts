import { seesCompliance } from '@windlass/contracts/access.ts'
import type { Workspace } from '@windlass/contracts/platform/workspaces.ts'
import { type WorkspacePage, workspacePages } from '../paths.ts'

/** The pages that a role sees. */
export const pagesOf = (role: Workspace['role'], pages: readonly WorkspacePage[] = workspacePages) =>
  pages.filter(page => page !== 'compliance' || seesCompliance(role))
