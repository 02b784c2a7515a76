import { readFile } from 'node:fs/promises';
import type { Asset } from '#pages/engine/asset.ts';

/** A file of a viewer, as `scripts/viewers.ts` makes it. */
export function viewerFile(name: string, type: Asset['type']): Asset {
  const file = new URL(`../../../generated/viewer/${name}.${type}.br`, import.meta.url);
  return { name, type, loadCompressed: () => readFile(file) };
}
