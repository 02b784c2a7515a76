import { DEVELOPER, GUEST, MASTER, OWNER, REPORTER } from '#src/access/permissions/abilities.ts';
import { label } from '#src/platform/texts/texts.ts';

/** Access levels in texts for people. */
export const LEVEL_NAMES: Readonly<Record<number, string>> = {
  [GUEST]: label('guest'),
  [REPORTER]: label('reporter'),
  [DEVELOPER]: label('developer'),
  [MASTER]: label('master'),
  [OWNER]: label('owner'),
};
