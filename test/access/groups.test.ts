import { groupRules } from './group_rules.ts';
import { provePlaces } from './places.ts';

await provePlaces(groupRules);
