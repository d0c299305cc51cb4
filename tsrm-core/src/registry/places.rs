//! The places of every thread's table: who has which, and the numbers by which that is known.
//!
//! A place is used by one resource, or one registration of a module or of one of its globals, at a time.
//! It is given away again when it was released and no thread has anything there. Each use has another
//! generation; a place whose generations are used up is not used again (I10). Nothing here allocates but
//! [`grow`](Places::grow), which is given the memory.

#![deny(unsafe_code)]

use super::ResourceType;

/// See the [module](self).
pub(super) struct Places {
    places: Vec<Place>,
    /// Heads of lists through [`Place::next`].
    free: Option<u32>,
    released: Option<u32>,
    /// How many are on the list of the free ones.
    free_count: usize,
    /// How many there may be.
    pub(super) limit: usize,
}

struct Place {
    /// Of the present use, or the next one.
    generation: u32,
    what: Use,
    /// On the list that it is on; `previous` on that of the released ones only.
    next: Option<u32>,
    previous: Option<u32>,
}

#[derive(Clone, Copy)]
enum Use {
    Free,
    /// By a module, for itself or for a global.
    Module,
    Resource(ResourceType),
    /// Over, but threads may have something there.
    Released,
}

/// More than that, and every thread's table would be of gigabytes.
const LIMIT: usize = 1 << 28;

impl Places {
    pub(super) const fn new() -> Self {
        Self { places: Vec::new(), free: None, released: None, free_count: 0, limit: LIMIT }
    }

    /// Whether that many places can be taken without an allocation.
    pub(super) fn has_room(&self, count: usize) -> bool {
        let unused = self.places.capacity().min(self.limit).saturating_sub(self.places.len());
        self.free_count + unused >= count
    }

    /// How large memory has to be that has room for that many more; `None` beyond the limit.
    pub(super) fn wanted(&self, count: usize) -> Option<usize> {
        let wanted = self.places.len() + count - self.free_count.min(count);
        (wanted <= self.limit).then(|| wanted.max(2 * self.places.len()).max(16))
    }

    /// Moves into `larger` and returns the old memory, to be freed without the lock.
    pub(super) fn grow(&mut self, mut larger: Self) -> Self {
        larger.places.append(&mut self.places);
        std::mem::swap(&mut self.places, &mut larger.places);
        larger
    }

    /// Memory for [`grow`](Self::grow); `None` if there is not that much.
    pub(super) fn with_capacity(capacity: usize) -> Option<Self> {
        let mut places = Self::new();
        places.places.try_reserve_exact(capacity).ok()?;
        Some(places)
    }

    pub(super) fn capacity(&self) -> usize {
        self.places.capacity()
    }

    /// For a module. There must be room.
    pub(super) fn take_for_module(&mut self) -> u32 {
        self.take(Use::Module).0
    }

    /// For a resource: its place and generation. There must be room.
    pub(super) fn take_for_resource(&mut self, resource: ResourceType) -> (u32, u32) {
        self.take(Use::Resource(resource))
    }

    fn take(&mut self, what: Use) -> (u32, u32) {
        if let Some(index) = self.free {
            let place = &mut self.places[index as usize];
            (self.free, self.free_count) = (place.next.take(), self.free_count - 1);
            place.what = what;
            return (index, place.generation);
        }
        // Fits: `LIMIT`.
        let index = self.places.len() as u32;
        self.places.push(Place { generation: 1, what, next: None, previous: None });
        (index, 1)
    }

    /// The resource of that place and generation, if there is one.
    pub(super) fn resource(&self, index: u32, generation: u32) -> Option<ResourceType> {
        let place = self.places.get(index as usize)?;
        match place.what {
            Use::Resource(resource) if place.generation == generation => Some(resource),
            _ => None,
        }
    }

    pub(super) fn is_released(&self, index: u32) -> bool {
        self.places.get(index as usize).is_some_and(|place| matches!(place.what, Use::Released))
    }

    /// Ends a use.
    pub(super) fn release(&mut self, index: u32) {
        let place = &mut self.places[index as usize];
        (place.what, place.previous) = (Use::Released, None);
        place.next = self.released.replace(index);
        if let Some(next) = place.next {
            self.places[next as usize].previous = Some(index);
        }
    }

    /// Ends the use of all resources.
    pub(super) fn release_resources(&mut self) {
        for index in 0..self.places.len() {
            if matches!(self.places[index].what, Use::Resource(_)) {
                self.release(index as u32);
            }
        }
    }

    /// The resources there are: place, generation, what they are.
    pub(super) fn resources(&self) -> impl Iterator<Item = (u32, u32, ResourceType)> {
        let resource = |(index, place): (usize, &Place)| match place.what {
            Use::Resource(resource) => Some((index as u32, place.generation, resource)),
            _ => None,
        };
        self.places.iter().enumerate().filter_map(resource)
    }

    /// Gives a place away, if it is released and no thread has anything there.
    pub(super) fn reclaim_one(&mut self, index: u32, is_held: impl Fn(u32) -> bool) {
        if self.is_released(index) && !is_held(index) {
            self.free(index);
        }
    }

    /// Gives released places away where no thread has anything.
    pub(super) fn reclaim(&mut self, is_held: impl Fn(u32) -> bool) {
        let mut next = self.released;
        while let Some(index) = next {
            next = self.places[index as usize].next;
            if !is_held(index) {
                self.free(index);
            }
        }
    }

    /// From released to free.
    fn free(&mut self, index: u32) {
        let place = &mut self.places[index as usize];
        let Some(generation) = place.generation.checked_add(1) else {
            // It stays released for good.
            return;
        };
        let (previous, next) = (place.previous.take(), place.next.take());
        (place.generation, place.what) = (generation, Use::Free);
        place.next = self.free.replace(index);
        self.free_count += 1;
        match previous {
            Some(previous) => self.places[previous as usize].next = next,
            None => self.released = next,
        }
        if let Some(next) = next {
            self.places[next as usize].previous = previous;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(room: usize) -> Places {
        Places::with_capacity(room).expect("there is memory")
    }

    #[test]
    fn places_are_reused_with_another_generation() {
        let mut places = places(4);
        let first = places.take_for_resource(ResourceType::NOTHING);
        assert_eq!(first, (0, 1));
        places.release(0);
        assert!(places.is_released(0));
        places.reclaim(|_| true);
        assert!(places.is_released(0), "a thread has something there");
        places.reclaim(|_| false);
        assert!(!places.is_released(0));
        assert_eq!(places.take_for_resource(ResourceType::NOTHING), (0, 2));
        assert!(places.resource(0, 1).is_none());
        assert!(places.resource(0, 2).is_some());
        assert_eq!(places.take_for_module(), 1);
    }

    #[test]
    fn a_place_is_worn_out_when_its_generations_are() {
        let mut places = places(2);
        places.take_for_module();
        places.places[0].generation = u32::MAX;
        places.release(0);
        places.reclaim(|_| false);
        assert!(places.is_released(0));
        assert!(places.has_room(1) && !places.has_room(2));
        assert_eq!(places.take_for_resource(ResourceType::NOTHING), (1, 1));
        assert_eq!(places.wanted(LIMIT), None);
    }

    #[test]
    fn a_million_uses_of_one_place() {
        let mut places = places(1);
        for generation in 1..=1_000_000 {
            assert_eq!(places.take_for_resource(ResourceType::NOTHING), (0, generation));
            places.release(0);
            places.reclaim(|_| false);
        }
        assert_eq!((places.places.len(), places.free_count), (1, 1));
    }
}
