import type { Variables } from '#src/domain/ci/pipelines/config/model.ts';
import type { Occasion } from '#src/domain/ci/pipelines/config/select.ts';

/** What every job knows of its pipeline, and the file may use in the names of environments. */
export function predefined({ ref, tag, source, project }: Occasion, sha: string): Variables {
  const names = project.split('/');
  return {
    CI: 'true',
    CI_COMMIT_SHA: sha,
    CI_COMMIT_REF_NAME: ref,
    CI_COMMIT_REF_SLUG: refSlug(ref),
    ...(tag ? { CI_COMMIT_TAG: ref } : {}),
    CI_PIPELINE_SOURCE: source,
    CI_PROJECT_PATH: project,
    CI_PROJECT_NAME: names.at(-1) ?? '',
    CI_PROJECT_NAMESPACE: names.slice(0, -1).join('/'),
  };
}

/** A ref or path as part of a host name: at most 63 small letters, digits and hyphens within. */
export function refSlug(ref: string): string {
  return ref
    .toLowerCase()
    .slice(0, 63)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|(?<!-)-+$/g, '');
}

/**
 * The text with `$NAME` and `${NAME}` replaced, cut off behind `limit` characters, as variables may be long and named often;
 * unknown names become nothing.
 */
export function expand(text: string, variables: Variables, limit: number): string {
  let [result, end] = ['', 0];
  for (const match of text.matchAll(/\$(?:\{(\w+)\}|(\w+))/g)) {
    const name = match[1] ?? match[2] ?? '';
    const value = Object.hasOwn(variables, name) ? (variables[name] ?? '') : '';
    result += text.slice(end, match.index) + value;
    end = match.index + match[0].length;
    if (result.length > limit) return result.slice(0, limit);
  }
  return (result + text.slice(end)).slice(0, limit);
}
