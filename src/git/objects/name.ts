import { createHash } from 'node:crypto';
import type { ObjectType, Oid } from '../base/model.ts';

/** The name that an object gets. */
export function nameOf(type: ObjectType, content: Buffer): Oid {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');
}
