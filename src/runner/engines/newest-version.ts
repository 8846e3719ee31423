import { prerelease, rcompare } from 'semver'

/** The newest of `versions`; a prerelease only when there is nothing else. */
export const newestVersion = (versions: string[]): string | undefined => {
  const releases = versions.filter((version) => prerelease(version) === null)
  return [...(releases.length > 0 ? releases : versions)].sort(rcompare)[0]
}
