/** Points at which a test kills this process, as a power cut would. */
export interface Faults {
  at(point: string): void
}

/** Kills this process at once when it reaches the named point; does nothing if none is named. */
export function createFaults(point: string | undefined): Faults {
  return {
    at: name => {
      if (name === point) process.kill(process.pid, 'SIGKILL')
    },
  }
}
