import { readFileSync } from 'node:fs';

/** Megabytes of the heap by what V8 calls it: `string`, `array`, `closure`, `code`. */
export interface HeapKind {
  kind: string;
  megabytes: number;
}

/** As much of V8's format as is read here: the fields of all nodes stand one behind another. */
interface Snapshot {
  snapshot: { meta: { node_fields: string[]; node_types: [string[], ...unknown[]] } };
  nodes: number[];
}

/** The largest kinds of a heap, by the sizes of the objects themselves, without what they hold. */
export function largestKinds(file: string, count = 5): HeapKind[] {
  const { snapshot, nodes }: Snapshot = JSON.parse(readFileSync(file, 'utf8'));
  const { node_fields: fields, node_types } = snapshot.meta;
  const [type, size] = [fields.indexOf('type'), fields.indexOf('self_size')];
  const bytes = node_types[0].map(() => 0);
  for (let at = 0; at < nodes.length; at += fields.length) {
    const kind = nodes[at + type] ?? 0;
    bytes[kind] = (bytes[kind] ?? 0) + (nodes[at + size] ?? 0);
  }
  return node_types[0]
    .map((kind, index) => ({ kind, megabytes: (bytes[index] ?? 0) / 1024 / 1024 }))
    .sort((one, other) => other.megabytes - one.megabytes)
    .slice(0, count);
}
