import { Dialog } from '@base-ui/react/dialog'
import { Button } from '../button.tsx'
import { texts as uiTexts } from '../texts.ts'
import { shortcutTexts as texts } from './shortcut-texts.ts'

/** Each line: the keys, any of which does it, and what they do. */
const shortcuts: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['Ctrl K', '⌘ K'], texts.palette],
  [['J'], texts.next],
  [['K'], texts.previous],
  [['Esc'], texts.close],
  [['?'], texts.list],
]

/** Every shortcut of the console. */
export default function ShortcutList({ onClose }: { onClose(): void }) {
  return (
    <Dialog.Root open onOpenChange={open => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-[oklch(0.15_0.02_235/0.45)]" />
        <Dialog.Popup className="fixed inset-x-4 top-[12vh] z-40 mx-auto max-w-[440px] rounded-8 border border-line bg-surface p-5 shadow-overlay">
          <Dialog.Title className="text-18 font-semibold">{texts.title}</Dialog.Title>
          <dl className="my-4 divide-y divide-line text-14">
            {shortcuts.map(([keys, what]) => (
              <div key={what} className="flex items-center justify-between gap-4 py-2">
                <dt>{what}</dt>
                <dd className="flex shrink-0 gap-2">
                  {keys.map(key => (
                    <kbd key={key} className="rounded-6 border border-control px-1.5 font-mono text-13">
                      {key}
                    </kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
          <Button onClick={onClose}>{uiTexts.close}</Button>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
