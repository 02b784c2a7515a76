import { readdirSync, readFileSync } from 'node:fs';
import { assetPath, type LoadedAsset } from '#pages/engine/asset.ts';
import { packagePath } from '#src/platform/package_root.ts';

/**
 * The layers of the stylesheets, where a later one always wins: each is a folder of pages/styles, and `third_party` what
 * scripts/viewers.ts makes of the stylesheets of viewers. Order of files and of loading decides nothing.
 */
const LAYERS = ['base', 'layout', 'parts', 'pages', 'third_party', 'viewers', 'last'];

/** One stylesheet for all pages: the files of pages/styles, each in the layer of its folder. */
export const STYLESHEET: LoadedAsset = {
  name: 'gantry',
  type: 'css',
  load: async () => [`@layer ${LAYERS.join(', ')};`, ...readdirSync(packagePath('pages/styles')).map(layer)].join('\n'),
};

function layer(folder: string): string {
  if (!LAYERS.includes(folder)) throw new Error(`pages/styles/${folder} is none of the layers`);
  return `@layer ${folder} {\n${together(`pages/styles/${folder}`)}\n}`;
}

/** The scripts of pages/scripts, which are independent of each other. Every page works without them. */
export const SCRIPT: LoadedAsset = { name: 'gantry', type: 'js', load: async () => together('pages/scripts') };

const icons = readFileSync(packagePath('assets/icons.svg'));

/** All icons, as symbols. */
export const ICONS: LoadedAsset = { name: 'icons', type: 'svg', load: async () => icons };

/** Path of the icons, known at start, as templates need it. */
export const ICONS_PATH = assetPath(ICONS, icons);

/** A comment that has its lines to itself, in a stylesheet or a script. */
const COMMENTS = /^[ \t]*(?:\/\/.*|\/\*(?:[^*]|\*(?!\/))*\*\/[ \t]*)\n/gm;

/** The files of a folder, without their comments, which are a seventh of what browsers would load. */
function together(folder: string): string {
  const names = readdirSync(packagePath(folder)).sort();
  const texts = names.map((name) => readFileSync(packagePath(`${folder}/${name}`), 'utf8'));
  return texts.join('\n').replace(COMMENTS, '');
}
