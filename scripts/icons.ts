import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** Makes assets/icons.svg, a sprite of the icons of Octicons (MIT) that the pages show. */
const NAMES = [
  'alert',
  'archive',
  'bell',
  'book',
  'calendar',
  'check',
  'check-circle',
  'checklist',
  'chevron-down',
  'circle-slash',
  'clock',
  'code',
  'comment',
  'comment-discussion',
  'container',
  'copy',
  'diff',
  'dot-fill',
  'download',
  'eye',
  'file',
  'file-directory-fill',
  'file-submodule',
  'file-symlink-file',
  'file-zip',
  'gear',
  'git-branch',
  'git-commit',
  'git-compare',
  'git-merge',
  'git-pull-request',
  'git-pull-request-closed',
  'git-pull-request-draft',
  'globe',
  'history',
  'home',
  'inbox',
  'issue-closed',
  'issue-opened',
  'kebab-horizontal',
  'law',
  'link',
  'list-unordered',
  'lock',
  'markdown',
  'milestone',
  'moon',
  'organization',
  'package',
  'pencil',
  'people',
  'person',
  'pin',
  'play',
  'plus',
  'pulse',
  'project',
  'reply',
  'repo',
  'repo-forked',
  'rocket',
  'rss',
  'search',
  'shield',
  'shield-lock',
  'skip',
  'smiley',
  'square-fill',
  'star',
  'star-fill',
  'stop',
  'sync',
  'table',
  'tag',
  'terminal',
  'thumbsup',
  'thumbsdown',
  'trash',
  'upload',
  'versions',
  'workflow',
  'x',
  'x-circle',
];

interface Octicon {
  heights: Record<string, { width: number; path: string }>;
}

const root = path.resolve(import.meta.dirname, '..');
const folder = path.dirname(createRequire(import.meta.url).resolve('@primer/octicons/package.json'));
const data: Record<string, Octicon> = JSON.parse(readFileSync(path.join(folder, 'build/data.json'), 'utf8'));
const license = readFileSync(path.join(folder, 'LICENSE'), 'utf8').trim().replaceAll('--', '- -');

const symbols = NAMES.map((name) => {
  const icon = data[name]?.heights['16'];
  if (!icon) throw new Error(`There is no icon ${name}`);
  return `<symbol id="${name}" viewBox="0 0 ${icon.width} 16">${icon.path}</symbol>`;
});
const sprite = `<svg xmlns="http://www.w3.org/2000/svg">\n<!-- Octicons\n${license}\n-->\n${symbols.join('\n')}\n</svg>\n`;
writeFileSync(path.join(root, 'assets/icons.svg'), sprite);
