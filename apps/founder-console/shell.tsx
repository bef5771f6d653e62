import type { KeepLanguage } from '@windlass/ui/language-switch.tsx'
import { ConfirmationProvider } from '@windlass/ui/confirmation.tsx'
import { SiteShell } from '@windlass/ui/console/site-shell.tsx'
import { lazy, Suspense, type ComponentProps } from 'react'
import { useLocation } from 'react-router'
import { paths } from './paths.ts'
import { shell as texts } from './texts.ts'

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
  const isWorkspace = /^\/workspaces\/./.test(useLocation().pathname)
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
