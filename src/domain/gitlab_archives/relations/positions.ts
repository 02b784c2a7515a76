import { parseJson } from '#src/base/json.ts';
import { type Given, integer, object, oneOf, text } from '#src/domain/gitlab_archives/relations/values.ts';

/** A position in a diff as Gantry stores it, of one that an archive has as an object or as JSON. Null for what is none. */
export async function position(given: unknown): Promise<Given | null> {
  const found = object(typeof given === 'string' ? parsed(given) : given);
  if (!found) return null;
  const [oldPath, newPath] = [
    text(found.old_path) ?? text(found.new_path),
    text(found.new_path) ?? text(found.old_path),
  ];
  const [startSha, headSha] = [text(found.start_sha), text(found.head_sha)];
  if (oldPath === null || newPath === null || startSha === null || headSha === null) return null;
  const positionType = oneOf(found.position_type ?? 'text', { text: 'text', image: 'image', file: 'file' });
  if (positionType === null) return null;
  const image = positionType === 'image' ? numbers(found, ['width', 'height', 'x', 'y']) : {};
  const lineRange = range(found.line_range);
  return {
    ...{ baseSha: text(found.base_sha), startSha, headSha, oldPath, newPath, positionType },
    ...{ oldLine: integer(found.old_line), newLine: integer(found.new_line), ...image },
    ...(lineRange && { lineRange }),
  };
}

function parsed(json: string): unknown {
  try {
    return parseJson(Buffer.from(json));
  } catch {
    // Earlier versions wrote YAML.
    return null;
  }
}

function numbers(from: Given, names: readonly string[]): Record<string, number | null> {
  return Object.fromEntries(names.map((name) => [name, integer(from[name])]));
}

function range(given: unknown): object | null {
  const found = object(given);
  const [start, end] = [rangeEnd(found?.start), rangeEnd(found?.end)];
  return start && end ? { start, end } : null;
}

function rangeEnd(given: unknown): object | null {
  const end = object(given);
  if (!end) return null;
  const type = oneOf(end.type, { new: 'new', old: 'old', expanded: 'expanded' });
  return {
    ...(typeof end.line_code === 'string' && { lineCode: end.line_code }),
    ...(type !== null && { type }),
    ...{ oldLine: integer(end.old_line), newLine: integer(end.new_line) },
  };
}
