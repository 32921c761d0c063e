// Elements shared with others through spans, DLPack and xtensor.
#include <xtensor/xbuilder.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xstrided_view.hpp>

#include "expect.h"
#include "fastnp/detail/shared.h"
#include "fastnp/device.h"
#include "fastnp/xtensor.h"
#include "simulated/backend.h"
#include "simulated/foreign.h"

using namespace fastnp;

BOOST_AUTO_TEST_SUITE(interop)

BOOST_AUTO_TEST_CASE(spans_are_adopted_without_a_copy) {
    auto owner = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3, 4});
    const std::weak_ptr<std::vector<float>> alive = owner;
    {
        array x = from_span(std::span<float>(*owner), {2, 2}, owner);
        x += 1;
        BOOST_TEST(owner->at(3) == 5);
        owner.reset();
        EXPECT(x, "float32 (2,2) [[2. 3.] [4. 5.]]");
    }
    BOOST_TEST(alive.expired());
    const std::vector<double> fixed{1, 2};
    array x = from_span(std::span<const double>(fixed));
    EXPECT_ERROR(ValueError, x += 1, "output array is read-only");
    EXPECT_ERROR(ValueError, from_span(std::span<const double>(fixed), {3}), "cannot reshape array of size 2 into a shape of 3 elements");
}

BOOST_AUTO_TEST_CASE(dlpack_there_and_back) {
    array x = arange(6).reshape({2, 3});
    dlpack::ManagedTensor* tensor = to_dlpack(x(all, every(-1)));
    BOOST_TEST(tensor->dl_tensor.ndim == 2);
    BOOST_TEST(tensor->dl_tensor.strides[1] == -1);
    BOOST_TEST(static_cast<int>(tensor->dl_tensor.dtype.bits) == 64);
    {
        const array back = from_dlpack(tensor);
        EXPECT(back, "int64 (2,3) [[2 1 0] [5 4 3]]");
        back(0, 0) = 9;
    }
    BOOST_TEST(x(0, 2).item<int>() == 9);
}

BOOST_AUTO_TEST_CASE(dlpack_versioned_says_read_only) {
    const array x = broadcast_to(array({1.0F}), {3});
    BOOST_CHECK_THROW(to_dlpack(x), BufferError);
    const array back = from_dlpack(to_dlpack_versioned(x));
    BOOST_TEST(!back.writable());
    EXPECT(back, "float32 (3) [1. 1. 1.]");
}

BOOST_AUTO_TEST_CASE(dlpack_keeps_every_dtype) {
    for (int i = 0; i < dtype_count; ++i) {
        const array x = zeros({2}, static_cast<Dtype>(i));
        BOOST_TEST((from_dlpack(to_dlpack_versioned(x)).dtype() == x.dtype()));
    }
    BOOST_TEST(static_cast<int>(from_dlpack(to_dlpack(zeros({1}, bfloat16))).itemsize()) == 2);
}

BOOST_AUTO_TEST_CASE(dlpack_refuses_what_it_does_not_know) {
    dlpack::ManagedTensor* tensor = to_dlpack(array({1.0}));
    tensor->dl_tensor.device.device_type = 10;
    EXPECT_ERROR(BufferError, from_dlpack(tensor), "Unsupported device in DLTensor.");
    tensor->dl_tensor.device = {2, 1000};
    BOOST_CHECK_THROW(from_dlpack(tensor), BufferError);
    tensor->dl_tensor.device = {1, 0};
    tensor->dl_tensor.dtype.lanes = 4;
    BOOST_CHECK_THROW(from_dlpack(tensor), BufferError);
    tensor->deleter(tensor);
    dlpack::ManagedTensorVersioned* later = to_dlpack_versioned(array({1.0}));
    later->version.major = 2;
    BOOST_CHECK_THROW(from_dlpack(later), BufferError);
    later->deleter(later);
}

BOOST_AUTO_TEST_CASE(tensors_on_a_device) {
    const simulated::AtTheDoor door;
    const device_scope scope("cpu");
    BOOST_TEST(dlpack_device(array({1.0})).device_type == dlpack::cpu);
    BOOST_CHECK_THROW(device_address(array({1.0})), BufferError);
    array x = array({1.0, 2.0, 3.0}).to("cuda");
    const auto live = device_statistics("cuda").live_bytes;
    BOOST_TEST(dlpack_device(x).device_type == dlpack::cuda);
    BOOST_CHECK_THROW(to_dlpack(x, 0), ValueError);
    dlpack::ManagedTensor* tensor = to_dlpack(x(every(-1)));
    BOOST_TEST(tensor->dl_tensor.device.device_type == dlpack::cuda);
    BOOST_TEST(tensor->dl_tensor.strides[0] == -1);
    {
        const array back = from_dlpack(tensor);
        BOOST_TEST(back.device() == "cuda:0");
        BOOST_TEST((device_address(back) == static_cast<char*>(device_address(x)) + 16));
        BOOST_TEST(back(0).item<double>() == 3.0);
        x(2) = 5.0;
        BOOST_TEST(back(0).item<double>() == 5.0);
        BOOST_CHECK_THROW(back.data(), BufferError);
        BOOST_TEST(detail::is_shared(back));
    }
    const array copy = copied_on_device(x(every(-2)));
    x(2) = 7.0;
    BOOST_TEST(copy(0).item<double>() == 5.0);
    BOOST_TEST(device_statistics("cuda").live_bytes > live);
    BOOST_TEST(x.device() == "cuda:0");
}

BOOST_AUTO_TEST_CASE(memory_of_a_device) {
    const simulated::AtTheDoor door;
    const std::vector<double> values{1, 2, 3, 4, 5, 6};
    void* const theirs = simulated::foreign_allocate(0, 48);
    simulated::foreign_write(0, 7, theirs, values.data(), 48);
    int released = 0;
    {
        const array x = from_device_memory(static_cast<char*>(theirs) + 40, Dtype::float64, {2, 3}, {-8, -16}, [&] { ++released; }, false, 7);
        BOOST_TEST(x.device() == "cuda:0");
        BOOST_TEST(!x.writable());
        EXPECT(x, "float64 (2,3) [[6. 4. 2.] [5. 3. 1.]]");
        BOOST_TEST((device_address(x) == static_cast<char*>(theirs) + 40));
        auto f = compile([](const array& a) { return a * 2; });
        const array y = f(x);
        BOOST_TEST(y.device() == "cuda:0");
        EXPECT(y, "float64 (2,3) [[12. 8. 4.] [10. 6. 2.]]");
        BOOST_TEST(released == 0);
    }
    BOOST_TEST(released == 1);
    const array nothing = from_device_memory(nullptr, Dtype::float64, {0, 3}, {}, [&] { ++released; });
    BOOST_TEST(nothing.device() == "cuda:0");
    BOOST_TEST(released == 2);
    BOOST_CHECK_THROW(from_device_memory(&released, Dtype::float64, {3}, {}, [] {}), BufferError);
    simulated::foreign_free(0, 7, theirs, 48);
}

BOOST_AUTO_TEST_CASE(dlpack_deleter_runs_once_when_the_last_view_is_gone) {
    static int deleted = 0;
    deleted = 0;
    std::int64_t shape[] = {2};
    float elements[] = {1, 2};
    dlpack::ManagedTensor tensor{};
    tensor.dl_tensor.data = elements;
    tensor.dl_tensor.device = {1, 0};
    tensor.dl_tensor.ndim = 1;
    tensor.dl_tensor.dtype = {2, 32, 1};
    tensor.dl_tensor.shape = shape;
    tensor.deleter = [](dlpack::ManagedTensor*) { ++deleted; };
    {
        array view;
        {
            const array x = from_dlpack(&tensor);
            view = x(1);
        }
        BOOST_TEST(deleted == 0);
        BOOST_TEST(view.item<float>() == 2);
    }
    BOOST_TEST(deleted == 1);
}

BOOST_AUTO_TEST_CASE(xtensor_views_share_memory) {
    array x = arange(6.0).reshape({2, 3});
    auto view = to_xtensor<double>(x.T());
    BOOST_TEST(view.shape()[0] == 3U);
    BOOST_TEST(view(2, 1) == 5);
    view(0, 1) = 30;
    BOOST_TEST(x(1, 0).item<double>() == 30);
    BOOST_TEST(xt::sum(view)() == 42);
    auto kept = to_xtensor<double>(arange(3.0));  // the array itself is gone
    BOOST_TEST(kept(2) == 2);
    BOOST_CHECK_THROW(to_xtensor<float>(x), TypeError);
}

BOOST_AUTO_TEST_CASE(xtensor_containers_are_adopted) {
    xt::xarray<double> values = {{1, 2, 3}, {4, 5, 6}};
    {
        array x = from_xtensor(values);
        x(1) *= 10;
        EXPECT(x, "float64 (2,3) [[1. 2. 3.] [40. 50. 60.]]");
    }
    BOOST_TEST(values(1, 2) == 60);
    const array owned = from_xtensor(xt::xarray<float>{{1, 2}, {3, 4}});
    EXPECT(owned + 1, "float32 (2,2) [[2. 3.] [4. 5.]]");
    auto columns = xt::strided_view(values, {xt::all(), xt::range(1, 3)});
    EXPECT(from_xtensor(columns), "float64 (2,2) [[2. 3.] [50. 60.]]");
    const xt::xarray<int> fixed = {1, 2};
    BOOST_TEST(!from_xtensor(fixed).writable());
}

BOOST_AUTO_TEST_SUITE_END()
