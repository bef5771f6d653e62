import type { KeepLanguage } from '@windlass/ui/language-switch.tsx'
import { ConfirmationProvider } from '@windlass/ui/confirmation.tsx'
import { SiteShell } from '@windlass/ui/console/site-shell.tsx'
import { lazy, Suspense, type ComponentProps } from 'react'
import { useMatches } from 'react-router'
import { paths } from './paths.ts'
import { shell as texts } from './texts.ts'

/** The handle of the route around the pages of a workspace. */
export const WORKSPACE = 'workspace'

// Loaded when a confirmation is asked for.
const ConfirmOperator = lazy(() => import('./account/confirm-operator.tsx'))
const confirmOperator = (props: ComponentProps<typeof ConfirmOperator>) => (
  <Suspense>
    <ConfirmOperator {...props} />
  </Suspense>
)

// Loaded when someone chooses a language.
const keepLanguage: KeepLanguage = async (...choice) =>
  (await import('./keep-language.ts')).keepLanguage(...choice)

export function Shell() {
  // By its page and not by its address: the page for unknown addresses is built once, as it is outside a workspace.
  const isWorkspace = useMatches().some(({ handle }) => handle === WORKSPACE)
  return (
    <ConfirmationProvider form={confirmOperator}>
      <SiteShell
        home={paths.home()}
        wide={isWorkspace}
        items={[
          [paths.anchors(), texts.anchors],
          // Who has an anchor is past these.
          ...(isWorkspace
            ? []
            : ([
                [paths.apply(), texts.apply],
                [paths.redeem(), texts.redeem],
              ] as const)),
          [paths.workspaces(), texts.workspaces],
          [paths.account(), texts.account],
        ]}
        footer={texts.footer}
        keepLanguage={keepLanguage}
      />
    </ConfirmationProvider>
  )
}
