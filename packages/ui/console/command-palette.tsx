import { Dialog } from '@base-ui/react/dialog'
import { useEffect, useId, useRef, useState, type KeyboardEvent, type RefObject } from 'react'
import { useNavigate } from 'react-router'
import { classNames } from '../class-names.ts'
import { controlLook } from '../field.tsx'
import { palette as texts } from './palette-texts.ts'

/** A page or a record to go to. */
export interface Command {
  /** Kind of the target, such as "Page". */
  group: string
  label: string
  to: string
}

interface CommandPaletteProps {
  /** Known without a request. */
  commands: readonly Command[]
  /** Further commands, loaded when the palette opens. */
  load?(): Promise<readonly Command[]>
  /** Finds records by what is typed, of at least two characters. */
  search?(text: string, signal: AbortSignal): Promise<readonly Command[]>
  onClose(): void
}

const MAX_RESULTS = 14

/** A dialog to go to a page or record: type, choose with the arrow keys, press Enter. */
export function CommandPalette({ commands, load, search, onClose }: CommandPaletteProps) {
  const navigate = useNavigate()
  const id = useId()
  const popup = useRef<HTMLDivElement>(null)
  const raised = useRaised(popup)
  const [text, setText] = useState('')
  const [loaded, setLoaded] = useState<readonly Command[]>([])
  const [selected, setSelected] = useState(0)
  useEffect(() => {
    let current = true
    // Without the records the palette still leads to the pages.
    void load?.().then(
      found => current && setLoaded(found),
      () => undefined,
    )
    return () => {
      current = false
    }
  }, [load])
  const searched = useSearch(search, text.trim())
  const known = matching([...commands, ...loaded], text)
  const places = new Set(known.map(({ to }) => to))
  const found = [...known, ...searched.filter(({ to }) => !places.has(to))].slice(0, MAX_RESULTS)
  const index = Math.min(selected, found.length - 1)
  const go = (command: Command | undefined) => {
    if (!command) return
    onClose()
    void navigate(command.to)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') go(found[index])
    else if (event.key === 'ArrowDown') setSelected((index + 1) % Math.max(1, found.length))
    else if (event.key === 'ArrowUp') setSelected((index - 1 + found.length) % Math.max(1, found.length))
    else return
    event.preventDefault()
  }
  const content = (
    <>
      <div className="p-3">
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={found[index] ? `${id}-${index}` : undefined}
          aria-label={texts.title}
          placeholder={texts.hint}
          value={text}
          onChange={event => {
            setText(event.target.value)
            setSelected(0)
          }}
          onKeyDown={onKeyDown}
          className={classNames(controlLook, 'border-control')}
        />
      </div>
      <ul id={id} role="listbox" aria-label={texts.title} className="border-t border-line p-2">
        {found.map((command, at) => (
          <li
            key={command.to}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === index}
            onClick={() => go(command)}
            onMouseMove={() => setSelected(at)}
            className={classNames(
              'control flex cursor-pointer items-center justify-between gap-4 rounded-6 px-3 py-1.5 text-14',
              at === index && 'bg-accent-tint text-accent',
            )}
          >
            <span className="min-w-0 font-medium wrap-break-word">{command.label}</span>
            <span className="shrink-0 text-13 text-soft">{command.group}</span>
          </li>
        ))}
      </ul>
      <p role="status" className={found.length > 0 ? 'sr-only' : 'px-5 pb-4 text-14 text-soft'}>
        {found.length > 0 ? texts.count(found.length) : texts.none}
      </p>
      <p className="border-t border-line px-5 py-3 text-13 text-soft max-sm:hidden">{texts.keys}</p>
    </>
  )
  return (
    <Dialog.Root key={raised} open onOpenChange={open => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-[oklch(0.15_0.02_235/0.45)]" />
        <Dialog.Popup
          ref={popup}
          className="fixed inset-x-4 top-[12vh] z-40 mx-auto max-w-[560px] overflow-hidden rounded-8 border border-line bg-surface shadow-overlay"
        >
          <Dialog.Title className="sr-only">{texts.title}</Dialog.Title>
          {content}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const MOST_RAISES = 5

/**
 * Counts how often something else took the focus: a page that was still loading opens its panel, or focuses its heading, after
 * the palette. As the key of the dialog it puts the palette above that again.
 */
function useRaised(popup: RefObject<HTMLElement | null>): number {
  const [raised, setRaised] = useState(0)
  useEffect(() => {
    const listener = ({ target }: FocusEvent) => {
      const own = popup.current?.parentElement
      if (!own || !(target instanceof Element) || own.contains(target)) return
      if (target.hasAttribute('data-base-ui-focus-guard')) return
      setRaised(before => Math.min(before + 1, MOST_RAISES))
    }
    document.addEventListener('focusin', listener)
    return () => document.removeEventListener('focusin', listener)
  }, [popup])
  return raised
}

const PAUSE_MS = 200

/** What `search` finds, once nothing was typed for a moment. */
function useSearch(search: CommandPaletteProps['search'], text: string): readonly Command[] {
  const [found, setFound] = useState<{ text: string; commands: readonly Command[] }>()
  useEffect(() => {
    if (!search || text.length < 2) return
    const stopped = new AbortController()
    const timer = setTimeout(() => {
      search(text, stopped.signal).then(
        commands => setFound({ text, commands }),
        // Without an answer the palette still has the pages.
        () => undefined,
      )
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stopped.abort()
    }
  }, [search, text])
  return found?.text === text ? found.commands : []
}

/** The commands that contain every typed word; those whose label starts with the text come first. */
function matching(commands: readonly Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const contains = ({ group, label }: Command) =>
    words.every(word => `${label} ${group}`.toLowerCase().includes(word))
  const startsWith = ({ label }: Command) => label.toLowerCase().startsWith(text.trim().toLowerCase())
  return commands
    .filter(contains)
    .sort((a, b) => Number(startsWith(b)) - Number(startsWith(a)))
    .slice(0, MAX_RESULTS)
}
