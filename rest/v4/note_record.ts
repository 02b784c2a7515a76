import type { Route } from '#rest/engine/route.ts';

/** Which keys of notes are there only sometimes. @param at where the notes are in the record, as `notes.` */
export function noteKeys(at = ''): Pick<Route, 'omitNull' | 'omitUnless'> {
  const position = `${at}position`;
  const omitted = ['line_range', 'width', 'height', 'x', 'y'].map((key) => `${position}.${key}`);
  return {
    omitNull: [position, ...omitted, `${at}suggestions`],
    omitUnless: { [`${at}resolvable`]: ['resolved', 'resolved_by', 'resolved_at'] },
  };
}
