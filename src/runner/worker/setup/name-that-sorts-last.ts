/**
 * A file name that comes after all of `names`, in the byte order the engine reads directories in: `preferred` where that
 * does, else the last name with `tail` behind it. The latter is longer than a name it starts with, so it sorts after it.
 */
export const nameThatSortsLast = (names: readonly string[], preferred: string, tail: string): string => {
  const last = names.reduce((max, name) => (Buffer.compare(Buffer.from(name), Buffer.from(max)) > 0 ? name : max), '')
  return Buffer.compare(Buffer.from(last), Buffer.from(preferred)) < 0 ? preferred : `${last}${tail}`
}
