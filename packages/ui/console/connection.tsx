import { useSyncExternalStore } from 'react'
import { Icon } from '../icons.tsx'
import { texts } from '../texts.ts'

// Until an event says otherwise: `navigator.onLine` is false on a machine without a network, where local services answer.
let isOnline = true

/** Whether the device has a network. */
export const useOnline = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => isOnline,
    () => true,
  )

function subscribe(listener: () => void): () => void {
  const change = ({ type }: Event): void => {
    isOnline = type === 'online'
    listener()
  }
  addEventListener('online', change)
  addEventListener('offline', change)
  return () => {
    removeEventListener('online', change)
    removeEventListener('offline', change)
  }
}

/** Above every page while the device is offline: requests wait, and continue when it is online again. */
export function ConnectionBar() {
  const online = useOnline()
  return (
    <div role="status" className="sticky top-0 z-20">
      {!online && (
        <p className="flex items-center justify-center gap-2 bg-warn-tint px-4 py-2 text-14 font-medium text-warn">
          <Icon name="alert" />
          {texts.offline}
        </p>
      )}
    </div>
  )
}
