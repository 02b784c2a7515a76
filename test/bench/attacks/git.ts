import type { Attack } from './attack.ts';
export const gitAttacks: Attack[] = [];
