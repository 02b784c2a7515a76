// Plain JavaScript that an old Node can read too. Gantry runs on the Node that it finds, or on one of its own where that is too old.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const OLDEST_NODE = 24;

/** Whether this Node cannot run Gantry. */
export const isOld = Number.parseInt(process.versions.node, 10) < OLDEST_NODE;

/** The project whose only package is a newer Node: installed where it is needed, by bin/fetch_node.js. */
export const nodeDirectory = path.join(path.dirname(fileURLToPath(import.meta.url)), 'node');

/**
 * The Node of Gantry's own.
 *
 * @returns {string | null} absolute path; null where it is not installed
 */
export function findNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  const file = path.join(nodeDirectory, 'node_modules', `node-${platform}-${process.arch}`, 'bin', program);
  return existsSync(file) ? file : null;
}
