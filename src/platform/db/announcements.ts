export type Announcements = {
  announce(topic: string): void
  onAnnounced(topic: string, fn: () => void): () => void
}

/** Who in this process wants to hear of what. */
export const makeAnnouncements = (): Announcements => {
  const listeners = new Map<string, Set<() => void>>()
  return {
    announce: (topic) => {
      for (const listener of listeners.get(topic) ?? []) listener()
    },
    onAnnounced: (topic, fn) => {
      const those = listeners.get(topic) ?? new Set()
      listeners.set(topic, those)
      // A wrapper of its own, so that the same function may listen twice.
      const listener = (): void => fn()
      those.add(listener)
      return () => {
        those.delete(listener)
        if (those.size === 0) listeners.delete(topic)
      }
    },
  }
}
