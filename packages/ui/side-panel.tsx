import { Dialog } from '@base-ui/react/dialog'
import { useRef, useState, type ReactNode } from 'react'
import { ConfirmationOutlet } from './confirmation.tsx'
import { Button, buttonLook } from './button.tsx'
import { Icon } from './icons.tsx'
import { Notice } from './notice.tsx'
import { typedTexts } from './side-panel-texts.ts'
import { texts } from './texts.ts'
import { hasTyped } from './typed.ts'

interface SidePanelProps {
  open: boolean
  onClose(): void
  title: ReactNode
  children: ReactNode
  /** Stays visible below the scrolling content. */
  footer?: ReactNode
  /** The first field has the focus, except where a keyboard on the screen would cover it. */
  focusesField?: boolean
}

const FIELDS = 'input:not([type=hidden]), select, textarea'

/**
 * A record beside its list. Escape and the back button return to the list at the same place; what was typed is dropped
 * only after a question.
 */
export function SidePanel({ open, onClose, title, children, footer, focusesField = false }: SidePanelProps) {
  const popup = useRef<HTMLDivElement>(null)
  const [isAsking, setAsking] = useState(false)
  const leave = (): void => {
    if (popup.current && hasTyped(popup.current)) setAsking(true)
    else onClose()
  }
  return (
    <Dialog.Root open={open} onOpenChange={next => !next && leave()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-[oklch(0.15_0.02_235/0.45)] transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Dialog.Popup
          ref={popup}
          initialFocus={opened =>
            (focusesField && opened !== 'touch' && popup.current?.querySelector<HTMLElement>(FIELDS)) || true
          }
          className="fixed inset-y-0 right-0 z-40 flex w-full max-w-[560px] flex-col border-l border-line bg-surface shadow-overlay transition-transform duration-150 data-ending-style:translate-x-6 data-ending-style:opacity-0 data-starting-style:translate-x-6"
        >
          <header className="flex items-start justify-between gap-4 border-b border-line px-5 py-4">
            <Dialog.Title className="min-w-0 text-18 font-semibold">{title}</Dialog.Title>
            <Dialog.Close aria-label={texts.close} className={buttonLook('quiet', '-mr-2 px-2')}>
              <Icon name="cross" />
            </Dialog.Close>
          </header>
          {isAsking && (
            <div className="border-b border-line px-5 py-4">
              <Notice
                tone="warn"
                role="alert"
                title={typedTexts.title}
                actions={
                  <>
                    <Button look="danger" onClick={onClose}>
                      {typedTexts.discard}
                    </Button>
                    <Button autoFocus onClick={() => setAsking(false)}>
                      {typedTexts.keep}
                    </Button>
                  </>
                }
              />
            </div>
          )}
          <div className="flex-1 overflow-y-auto px-5 py-4">
            <ConfirmationOutlet />
            {children}
          </div>
          {footer && <footer className="border-t border-line bg-canvas px-5 py-4">{footer}</footer>}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
