import { Mock } from './index'

export function apnsMock(t?: { after?(done: () => void): void }, options?: { options?: string[]; program?: string; timeout?: number }): Promise<Mock>
