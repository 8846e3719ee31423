/** Bounds of an archive. Crossing one refuses the archive as soon as it is crossed, while it is being read. */
export type SlugLimits = {
  compressedBytes: number
  unpackedBytes: number
  fileBytes: number
  entries: number
  /** Unpacked bytes per compressed byte, looked at after the first `RATIO_FREE_BYTES`. */
  ratio: number
  /** False lets symbolic links point anywhere: for archives that a runner made of its own directory. */
  linksInside: boolean
}

const MIB = 1024 * 1024

/** For configuration archives of users. */
export const slugLimits: SlugLimits = {
  compressedBytes: 512 * MIB,
  unpackedBytes: 2048 * MIB,
  fileBytes: 512 * MIB,
  entries: 100_000,
  ratio: 200,
  linksInside: true,
}

/** For the working directory that a plan leaves to its apply: what the engine wrote may be larger and links are the user's. */
export const snapshotLimits: SlugLimits = {
  compressedBytes: 1024 * MIB,
  unpackedBytes: 4096 * MIB,
  fileBytes: 2048 * MIB,
  entries: 500_000,
  ratio: Number.POSITIVE_INFINITY,
  linksInside: false,
}

export const RATIO_FREE_BYTES = 10 * MIB
