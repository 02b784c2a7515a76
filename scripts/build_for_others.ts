import path from 'node:path';

/*
 * Where another project depends on Gantry by git, npm makes the package in a clone of its own: from the directory of that
 * project, and with `prepare` as the only script. So what packages need is built then, but not by `npm ci` in a checkout.
 */
const root = path.dirname(import.meta.dirname);
const [first] = path.relative(root, process.env.INIT_CWD ?? root).split(path.sep);
if (first === '..') await import('./build.ts');
