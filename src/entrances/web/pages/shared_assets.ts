import { readdirSync, readFileSync } from 'node:fs';
import { assetPath, type LoadedAsset } from '#src/entrances/web/pages/asset.ts';
import { packagePath } from '#src/platform/package_root.ts';

/** One stylesheet for all pages: the files of pages/styles, the tokens and elements of base.css first. */
export const STYLESHEET: LoadedAsset = {
  name: 'gantry',
  type: 'css',
  load: async () => together('pages/styles', 'base.css'),
};

/** The scripts of pages/scripts, which are independent of each other. Every page works without them. */
export const SCRIPT: LoadedAsset = { name: 'gantry', type: 'js', load: async () => together('pages/scripts') };

const icons = readFileSync(packagePath('assets/icons.svg'));

/** All icons, as symbols. */
export const ICONS: LoadedAsset = { name: 'icons', type: 'svg', load: async () => icons };

/** Path of the icons, known at start, as templates need it. */
export const ICONS_PATH = assetPath(ICONS, icons);

function together(folder: string, first?: string): string {
  const others = readdirSync(packagePath(folder)).filter((name) => name !== first);
  const names = [...(first === undefined ? [] : [first]), ...others.sort()];
  return names.map((name) => readFileSync(packagePath(`${folder}/${name}`), 'utf8')).join('\n');
}
