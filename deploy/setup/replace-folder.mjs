import { renameSync, rmSync } from 'node:fs'

/**
 * Puts a folder that was just made in the place of another. What runs from the old one goes on: it has loaded
 * what it needs.
 * @param isFresh whether what is in the place is as good, because somebody else has made it meanwhile
 */
export function replaceFolder(fresh, place, isFresh) {
  const old = `${fresh}-old`
  renameIfThere(place, old)
  try {
    renameSync(fresh, place)
  } catch (error) {
    if (!isFresh()) throw error
  } finally {
    rmSync(old, { recursive: true, force: true })
  }
}

function renameIfThere(from, to) {
  try {
    renameSync(from, to)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}
