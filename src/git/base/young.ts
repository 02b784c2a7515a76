import type { BigIntStats } from 'node:fs';

/** In milliseconds: clocks of file systems tick every few, some only every second. */
const TRUSTED_FROM = 1_000;

/**
 * Whether a file or directory was changed so lately that it may change once more and look the same: what is remembered of it
 * must not be trusted for having the same time.
 */
export function isYoung({ mtimeMs }: Pick<BigIntStats, 'mtimeMs'>): boolean {
  return Number(mtimeMs) > Date.now() - TRUSTED_FROM;
}
