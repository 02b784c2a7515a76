import type { Attack } from './attack.ts';
export const accountAttacks: Attack[] = [];
