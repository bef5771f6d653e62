/** Points at which a test lets this process die, as by a power cut. */
export interface Faults {
  at(point: string): void
}

/** Kills this process without any goodbye when it comes by the named point; does nothing where none is named. */
export function createFaults(point: string | undefined): Faults {
  return {
    at: name => {
      if (name === point) process.kill(process.pid, 'SIGKILL')
    },
  }
}
